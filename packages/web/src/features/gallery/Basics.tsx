import { gallery } from '#messages/site/gallery.ts'
import { paths } from '../../app/paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { Illustration } from '../../ui/maps/Illustration.tsx'

export function LogoAndIllustrations() {
  return (
    <div className="specimens">
      <Brand href={paths.landing} />
      <div className="specimen-row">
        <Illustration name="empty" />
        <Illustration name="arcs" />
        <Illustration name="safe" />
        <Illustration name="arrived" />
      </div>
    </div>
  )
}

const swatches =
  'paper sheet water line line-strong ink ink-2 ink-3 sea sea-deep sea-wash beak beak-ink in out wait'.split(' ')

export function Colours() {
  return (
    <ul className="swatches tiny" translate="no">
      {swatches.map((name) => (
        <li key={name}>
          <svg className="swatch" aria-hidden="true">
            <rect width="100%" height="100%" fill={`var(--${name})`} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

export function Type() {
  return (
    <div className="specimens">
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
