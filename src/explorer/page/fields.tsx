// Controls of panels and dialogs: those of the first view, and fields, tables, links and cards.
import type { AnchorHTMLAttributes, ComponentChildren, HTMLAttributes, InputHTMLAttributes } from 'preact';
import { type ButtonProps, setter } from './controls.tsx';

export { Button, Choice, IconButton, listened, named, onKeys, SignalChoice, Status, setTo, setter } from './controls.tsx';

type CardProps = ButtonProps & { readonly picture: string | null; readonly text: string };

export const Card = ({ picture, label, text, act, children, ...others }: CardProps) => (
  <button type="button" class="card" onClick={act} {...others}>
    {picture ? <img src={picture} alt="" width="72" height="72" loading="lazy" /> : <span class="no-picture" />}
    <span>
      <strong>{label}</strong>
      <span class="quiet">{text}</span>
      {children}
    </span>
  </button>
);

export const Field = ({ label, ...input }: Omit<InputHTMLAttributes, 'label'> & { readonly label: string }) => (
  <label class="field">
    {label}
    <input {...input} />
  </label>
);

interface FactsProps extends HTMLAttributes<HTMLDListElement> {
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
}

export const Facts = ({ of, ...others }: FactsProps) => (
  <dl {...others}>{of.flatMap(([name, value], i) => [<dt key={i}>{name}</dt>, <dd key={`value ${i}`}>{value}</dd>])}</dl>
);

export const Download = ({ label, ...others }: Omit<AnchorHTMLAttributes, 'label'> & { readonly label: string }) => (
  <a download {...others}>
    {label}
  </a>
);

/** A link to another site or to the documentation, which leaves the page open. */
export const Away = ({ label, href }: { readonly label: ComponentChildren; readonly href: string }) => (
  <a href={href} target="_blank" rel="noreferrer noopener">
    {label}
  </a>
);

interface TableProps {
  readonly head?: readonly string[];
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly ComponentChildren[])[];
}

export const Table = ({ head, rows }: TableProps) => (
  <table>
    {head && (
      <thead>
        <tr>
          {head.map((text) => (
            <th key={text} scope="col">
              {text}
            </th>
          ))}
        </tr>
      </thead>
    )}
    <tbody>
      {rows.map(([name, ...others], i) => (
        <tr key={i}>
          <th scope="row">{name}</th>
          {others.map((cell, k) => (
            <td key={k}>{cell}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

type CheckProps = { readonly label: ComponentChildren; readonly isOn: boolean; readonly set: (isOn: boolean) => void };

export const Check = ({ label, isOn, set }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={isOn} onChange={(event) => set(event.currentTarget.checked)} />
    {label}
  </label>
);

type TextFieldProps = Parameters<typeof Field>[0] & { readonly text: { value: string } };

/** A field for the value of a signal. */
export const TextField = ({ text, ...others }: TextFieldProps) => (
  <Field type="text" value={text.value} onInput={(event) => setter(text)(event.currentTarget.value)} {...others} />
);
