// Data: the FITS header as a table, the files, the images of the range, and code for this view.
import '../core.ts';
import { useSignal } from '@preact/signals';
import { fitsPath, hasLaw } from '../api/image-data.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { filePath, headerOf, headerPath } from '../api/images.ts';
import { Download, Search, SignalChoice, Status } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { header, shown } from '../store/state.ts';
import { dataTexts } from '../texts/more.ts';
import { imageTime } from '../texts/times.ts';
import { decimal, fill, texts } from '../texts.ts';
import { Code } from './code.tsx';
import { ImageList } from './image-list.tsx';
import { type SampMessage, SendButton } from './send-button.tsx';

const words = dataTexts;

function HeaderTable({ image }: { readonly image: ImageRecord }) {
  const search = useSignal('');
  const known = header.value?.id === image.id ? header.value.fits : null;
  const { last, failure, retry } = useLoaded(known ? '' : String(image.id), () => headerOf(image.id));
  const fits = known ?? last?.value ?? null;
  if (!fits && failure) return <Failure sentences={[words.noHeader, failure]} retry={retry} />;
  if (!fits) return <p class="quiet">{texts.loadingPart}</p>;
  const text = search.value.toLowerCase();
  const rows = fits.filter(([name, value]) => `${name} ${value}`.toLowerCase().includes(text));
  return (
    <>
      <Search id="header-search" label={words.search} placeholder="CRPIX" text={search} />
      <Status>{fill(words.keywords, { count: rows.length })}</Status>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the area scrolls by keys */}
      <section class="table" tabIndex={0} aria-label={fill(words.header, { name: image.name })}>
        <table>
          <tbody>
            {rows.map(([name, value], i) => (
              <tr key={name + i}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

const fitsOf = async (image: ImageRecord) => fitsPath(image, !(await hasLaw(image.id)));

async function fitsMessage(image: ImageRecord): Promise<SampMessage> {
  const url = location.origin + (await fitsOf(image));
  return { type: 'image.load.fits', parameters: { url, 'image-id': url, name: `${image.name} ${imageTime(image)}` } };
}

/** A link to the values, and for an image without a law to its bytes, of which the service is asked when it is followed. */
function FitsLink({ image }: { readonly image: ImageRecord }) {
  const path = fitsPath(image, false);
  const follow = async (event: Event) => {
    event.preventDefault();
    location.assign(await fitsOf(image).catch(() => path));
  };
  return (
    <a href={path} download onClick={(event) => void follow(event)}>
      {words.fits}
    </a>
  );
}

export function Data() {
  const images = (shown.value?.images ?? []).flatMap((image) => image ?? []);
  const chosen = useSignal(0);
  const image = images[Math.min(chosen.value, images.length - 1)];
  if (!image) return <p class="quiet">{texts.loading}</p>;
  return (
    <>
      {images.length > 1 && (
        <SignalChoice label={words.image} of={chosen} options={images.map(({ name }, i) => [i, name] as const)} />
      )}
      <p class="links">
        <Download label={words.file} href={filePath(image.id)} />
        <FitsLink key={image.id} image={image} />
        <a href={headerPath(image.id)}>{words.xml}</a>
        <Download label={words.png} href={`/v2/downloadImage/?id=${image.id}&scale=1`} />
      </p>
      <p class="quiet">{fill(words.facts, { ...image, scale: decimal(image.scale.toPrecision(4)) })}</p>
      <SendButton key={image.id} program="SAOImage ds9" message={() => fitsMessage(image)} />
      <h3>{words.codeTitle}</h3>
      <Code />
      <h3>{fill(words.header, { name: image.name })}</h3>
      <HeaderTable key={image.id} image={image} />
      <h3>{words.listTitle}</h3>
      <ImageList />
    </>
  );
}
