import assert from 'node:assert'
import { renderHtml, renderText } from './mail-layout.ts'
import { messages } from './messages.ts'
import type { MailData, MailTemplate } from './templates.ts'

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A mail in both forms. Throws when its link leads anywhere but to `publicUrl`: only our own pages are linked. */
export function renderMail<T extends MailTemplate>(template: T, data: MailData[T], publicUrl: string): RenderedMail {
  if ('link' in data) assert(data.link.startsWith(`${publicUrl}/`), `a ${template} mail links to somewhere else`)
  const message = messages[template](data)
  return { subject: message.subject, text: renderText(message, publicUrl), html: renderHtml(message, publicUrl) }
}
