// Secrets in the Authorization header (RFC 6750).

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

/**
 * Whether the header says `Bearer <token>`. Nobody knows a token that is null. Compares digests, whose length says nothing of the
 * token, and looks at every byte of them.
 */
export async function bearsToken(authorization: string | undefined, token: string | null): Promise<boolean> {
  const given = await digest(authorization?.replace(/^bearer /i, 'Bearer ') ?? '');
  const expected = await digest(`Bearer ${token}`);
  const difference = expected.reduce((sum, byte, i) => sum | (byte ^ given[i]!), 0);
  return token !== null && difference === 0;
}
