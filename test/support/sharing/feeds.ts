// Feeds in the formats that blogs publish.

export const RSS = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel>
<title>Blog of the Sun</title>
<atom:link href="https://blog.example/feed" rel="self" type="application/rss+xml"/>
<link>https://blog.example/</link>
<description>All about &lt;b&gt;sunspots&lt;/b&gt;</description>
<lastBuildDate>Fri, 10 May 2024 12:00:00 +0000</lastBuildDate>
<item>
<title><![CDATA[A storm &amp; its <em>aurora</em>]]></title>
<link>https://blog.example/storm?a=1&amp;b=2</link>
<pubDate>Fri, 10 May 2024 14:30:00 +0200</pubDate>
<guid isPermaLink="false">17</guid>
<description>&lt;p&gt;Kp was &amp;gt; 8.&lt;/p&gt;&lt;p&gt;Seen at 40&amp;deg;&lt;script&gt;alert(1)&lt;/script&gt; north&lt;/p&gt;</description>
<content:encoded><![CDATA[<p>The whole article</p>]]></content:encoded>
</item>
<item>
<title>Quiet</title>
<link>/quiet</link>
<pubDate>some day</pubDate>
</item>
</channel>
</rss>`;

export const ATOM = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title type="text">Notes &lt;of&gt; the Sun</title>
<subtitle>daily</subtitle>
<link rel="self" href="https://blog.example/atom.xml"/>
<link href="https://blog.example/notes"/>
<id>urn:uuid:60a76c80-d399-11d9-b93C-0003939e0af6</id>
<updated>2024-05-10T12:00:00Z</updated>
<entry>
<title type="html">Prominence &amp;amp; &lt;i&gt;loop&lt;/i&gt;</title>
<link rel="enclosure" href="https://blog.example/movie.mp4"/>
<link rel="alternate" href="https://blog.example/prominence"/>
<id>urn:uuid:1</id>
<published>2024-05-09T08:00:00Z</published>
<updated>2024-05-10T12:00:00Z</updated>
<summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">It rose <b>fast</b><br/>and fell.</div></summary>
</entry>
</feed>`;

/** An entity expansion attack: 10^9 repetitions of three letters. */
export const BILLION_LAUGHS = `<?xml version="1.0"?>
<!DOCTYPE rss [
<!ENTITY l0 "lol">
${Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('\n')}
]>
<rss version="2.0"><channel><title>&l9;</title><link>https://blog.example/</link><description/></channel></rss>`;
