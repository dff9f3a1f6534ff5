import assert from 'node:assert'
import type { Messages } from '../../../platform/messages.ts'
import { renderHtml, renderText } from './mail-layout.ts'
import { messages } from './messages.ts'
import type { MailData, MailTemplate } from './templates.ts'

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Throws if a link of a mail does not start with `publicUrl`. */
export function requireOwnLink<T extends MailTemplate>(template: T, data: MailData[T], publicUrl: string): void {
  const links = Object.entries(data).flatMap(([key, value]) => (/^link$|Link$/.test(key) ? [value] : [])) as unknown[]
  for (const link of links) {
    const isOwn = link === undefined || (typeof link === 'string' && link.startsWith(`${publicUrl}/`))
    assert(isOwn, `a ${template} mail links to somewhere else`)
  }
}

/**
 * Renders a mail as text and HTML in the language of the catalogue. Throws if a link does not start with `publicUrl`.
 */
export function renderMail<T extends MailTemplate>(
  template: T,
  data: MailData[T],
  { publicUrl, catalogue }: { publicUrl: string; catalogue: Messages },
): RenderedMail {
  requireOwnLink(template, data, publicUrl)
  const message = messages[template](catalogue, data)
  const frame = { home: publicUrl, catalogue }
  return { subject: message.subject, text: renderText(message, frame), html: renderHtml(message, frame) }
}
