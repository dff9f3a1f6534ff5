import { gallery } from '#messages/gallery.ts'
import { paths } from '../../paths.ts'
import { Brand } from '../../ui/Brand.tsx'
import { Illustration } from '../../ui/Illustration.tsx'

export function MarkAndDrawings() {
  return (
    <div className="grid justify-items-start gap-6">
      <Brand href={paths.landing} />
      <div className="flex flex-wrap gap-8">
        <Illustration name="empty" />
        <Illustration name="arcs" />
        <Illustration name="safe" />
        <Illustration name="arrived" />
      </div>
    </div>
  )
}

const swatches = [
  ['paper', 'bg-paper'],
  ['sheet', 'bg-sheet'],
  ['water', 'bg-water'],
  ['line', 'bg-line'],
  ['line-strong', 'bg-line-strong'],
  ['ink', 'bg-ink'],
  ['ink-2', 'bg-ink-2'],
  ['ink-3', 'bg-ink-3'],
  ['sea', 'bg-sea'],
  ['sea-deep', 'bg-sea-deep'],
  ['sea-wash', 'bg-sea-wash'],
  ['beak', 'bg-beak'],
  ['beak-ink', 'bg-beak-ink'],
  ['in', 'bg-in'],
  ['out', 'bg-out'],
  ['wait', 'bg-wait'],
] as const

export function Colours() {
  return (
    <ul className="grid grid-cols-4 gap-3">
      {swatches.map(([name, background]) => (
        <li key={name} className="tiny">
          <span className={`mb-1 block h-12 rounded-control border border-line ${background}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}

export function Type() {
  return (
    <div className="grid gap-3">
      <p className="display-xl">{gallery.poleToPole}</p>
      <p className="display-l">{gallery.displayLarge}</p>
      <p className="display-m">{gallery.displayMedium}</p>
      <p className="display-s">{gallery.displaySmall}</p>
      <p className="lead">{gallery.leadSample}</p>
      <p>{gallery.textSample}</p>
      <p className="small muted">{gallery.smallSample}</p>
      <p className="tiny faint">{gallery.tinySample}</p>
    </div>
  )
}
