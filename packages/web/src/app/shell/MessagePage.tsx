import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { Brand } from '../../ui/icon/Brand.tsx'
import { Illustration, type IllustrationName } from '../../ui/maps/Illustration.tsx'

interface MessagePageProps {
  title: string
  text: string
  illustration: IllustrationName
  children: ReactNode
}

/** A page that has one thing to say, outside the app's frame. */
export function MessagePage({ title, text, illustration, children }: MessagePageProps) {
  return (
    <main className="message-page">
      <Brand href={paths.landing} />
      <div className="message-page-body">
        <Illustration name={illustration} />
        <h1 className="display-l">{title}</h1>
        <p className="lead">{text}</p>
        {children}
      </div>
    </main>
  )
}
