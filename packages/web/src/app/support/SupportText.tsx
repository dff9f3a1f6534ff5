import { shell } from '#messages/shell.ts'
import { supportContact } from './support.ts'

/** A text in which the words "contact support" are a link to the support contact, where one is configured. */
export function SupportText({ text }: { text: string }) {
  const contact = supportContact()
  const [before, after] = text.split(shell.support)
  if (!contact || after === undefined) return text
  return (
    <>
      {before}
      <a href={contact}>{shell.support}</a>
      {after}
    </>
  )
}
