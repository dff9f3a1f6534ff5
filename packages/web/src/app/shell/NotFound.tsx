import { shell } from '#messages/shell.ts'
import { paths } from '../paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { Illustration } from '../../ui/maps/Illustration.tsx'

export const meta = () => [{ title: shell.pageTitle(shell.notFoundTitle) }, { name: 'robots', content: 'noindex' }]

/** An address without a page. */
export default function NotFound() {
  return (
    <main className="grid min-h-dvh grid-rows-[auto_1fr] px-(--gutter) pt-3 pb-16">
      <Brand href={paths.landing} />
      <div className="mx-auto grid max-w-140 content-center justify-items-start gap-6">
        <Illustration name="empty" />
        <h1 className="display-l">{shell.notFoundTitle}</h1>
        <p className="lead">{shell.notFoundText}</p>
        <a className="button button-primary button-big" href={paths.landing}>
          {shell.toStart}
        </a>
      </div>
    </main>
  )
}
