import { shell } from '#messages/shell.ts'
import { supportContact } from './support.ts'

/** Text in which the words "contact support" link to the support contact, if one is configured. */
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
