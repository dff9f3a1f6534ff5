import { gallery } from '#messages/gallery.ts'
import { shell } from '#messages/shell.ts'
import { paths } from '../../paths.ts'
import { Brand } from '../../ui/Brand.tsx'
import { ToastProvider } from '../../ui/Toast.tsx'
import { Colours, MarkAndDrawings, Type } from './Basics.tsx'
import { Buttons, Choices, Fields } from './Controls.tsx'
import { ActivityList, Breakdown, Data, MoneyAndStatus } from './Figures.tsx'
import { Globes, NotesAndStates, Overlays } from './States.tsx'

export const meta = () => [{ title: shell.pageTitle(gallery.title) }, { name: 'robots', content: 'noindex' }]

const sections = [
  { title: gallery.mark, Content: MarkAndDrawings },
  { title: gallery.colour, Content: Colours },
  { title: gallery.type, Content: Type },
  { title: gallery.buttons, Content: Buttons },
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

/** Every shared component in every state, in both themes side by side. Served in sandbox mode alone. */
export default function Gallery() {
  return (
    <ToastProvider>
      <main className="mx-auto max-w-360 px-4 pb-16 md:px-10">
        <header className="py-8">
          <Brand href={paths.landing} />
          <h1 className="display-l mt-8">{gallery.title}</h1>
          <p className="lead">{gallery.lead}</p>
        </header>
        {sections.map(({ title, Content }) => (
          <section key={title} className="border-t border-line py-8">
            <h2 className="display-s mb-4">{title}</h2>
            <div className="grid md:grid-cols-2">
              <div className="light min-w-0 border border-line p-4 md:p-8">
                <p className="field-label mb-4">{gallery.light}</p>
                <Content />
              </div>
              <div className="dark min-w-0 border border-line p-4 md:p-8">
                <p className="field-label mb-4">{gallery.dark}</p>
                <Content />
              </div>
            </div>
          </section>
        ))}
      </main>
    </ToastProvider>
  )
}
