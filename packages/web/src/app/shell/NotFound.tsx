import { shell } from '#messages/shell.ts'
import { paths } from '../paths.ts'
import { useUser } from '../session/session.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { Illustration } from '../../ui/maps/Illustration.tsx'

export const meta = () => [{ title: shell.pageTitle(shell.notFoundTitle) }, { name: 'robots', content: 'noindex' }]

/** Shown for unknown addresses: inside the frame for members, otherwise as a page of its own. */
export default function NotFound() {
  if (useUser()) return <Message href={paths.dashboard} link={shell.toDashboard} />
  return (
    <main className="grid min-h-dvh grid-rows-[auto_1fr] px-(--gutter) pt-3 pb-16">
      <Brand href={paths.landing} />
      <Message href={paths.landing} link={shell.toStart} />
    </main>
  )
}

function Message({ href, link }: { href: string; link: string }) {
  return (
    <div className="mx-auto grid h-full max-w-140 content-center justify-items-start gap-6">
      <Illustration name="empty" />
      <h1 className="display-l">{shell.notFoundTitle}</h1>
      <p className="lead">{shell.notFoundText}</p>
      <a className="button button-primary button-big" href={href}>
        {link}
      </a>
    </div>
  )
}
