import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Messages, readCatalogues } from '../../packages/server/src/platform/messages.ts'
import { pseudoCode, writePseudoLanguage } from '../pseudo-language.ts'

/** What the server says, in the pseudo-language, under the name of any language. */
export async function readPseudoMessages(code: string): Promise<Messages> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-messages-'))
  writePseudoLanguage(folder)
  const messages = (await readCatalogues(folder)).get(pseudoCode)
  fs.rmSync(folder, { recursive: true })
  if (messages === undefined) throw new Error('the pseudo-language was not written')
  // Dates of this locale hold no letters of ours.
  return { ...messages, language: { code, locale: 'ja-JP', direction: 'rtl' } }
}
