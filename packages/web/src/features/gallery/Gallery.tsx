import '../../css/gallery.css'
import '../../css/steps.css'
import '../../css/home.css'
import { lazy } from 'react'
import { gallery } from '#messages/site/gallery.ts'
import { titles } from '#messages/shell.ts'
import { pageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { ToastProvider } from '../../ui/feedback/Toast.tsx'
import { Colours, LogoAndIllustrations, Type } from './Basics.tsx'
import { ActionBars, Buttons, Choices, Fields } from './Controls.tsx'
import { ActivityList, Breakdown, Data, MoneyAndStatus } from './Figures.tsx'

const NotesAndStates = lazy(async () => ({ default: (await import('./States.tsx')).NotesAndStates }))
const Overlays = lazy(async () => ({ default: (await import('./States.tsx')).Overlays }))
const Globes = lazy(async () => ({ default: (await import('./States.tsx')).Globes }))

export const meta = (page: Parameters<typeof pageTitle>[0]) => [
  ...pageTitle(page),
  { name: 'robots', content: 'noindex' },
]

const sections = [
  { title: gallery.mark, Content: LogoAndIllustrations },
  { title: gallery.colour, Content: Colours },
  { title: gallery.type, Content: Type },
  { title: gallery.buttons, Content: Buttons },
  { title: gallery.actionBars, Content: ActionBars },
  { title: gallery.fields, Content: Fields },
  { title: gallery.choices, Content: Choices },
  { title: gallery.money, Content: MoneyAndStatus },
  { title: gallery.activity, Content: ActivityList },
  { title: gallery.breakdown, Content: Breakdown },
  { title: gallery.data, Content: Data },
  { title: gallery.states, Content: NotesAndStates },
  { title: gallery.overlays, Content: Overlays },
  { title: gallery.globes, Content: Globes },
]

/** Shared components and their states, in both themes side by side. Served only by a sandbox that enables it. */
export default function Gallery() {
  return (
    <ToastProvider>
      <main className="gallery">
        <Brand href={paths.landing} />
        <h1 className="display-l">{titles.gallery}</h1>
        <p className="lead">{gallery.lead}</p>
        {sections.map(({ title, Content }) => (
          <section key={title} className="gallery-section">
            <h2 className="display-s">{title}</h2>
            <div className="gallery-themes">
              <div className="light">
                <p className="field-label">{gallery.light}</p>
                <Content />
              </div>
              <div className="dark">
                <p className="field-label">{gallery.dark}</p>
                <Content />
              </div>
            </div>
          </section>
        ))}
      </main>
    </ToastProvider>
  )
}
