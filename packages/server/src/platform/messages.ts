import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { activity } from '@tern/messages/en/activity'
import { fields } from '@tern/messages/en/fields'
import { language } from '@tern/messages/en/language'
import { mails } from '@tern/messages/en/mails'
import { operator } from '@tern/messages/en/operator'
import { ofField, reasons, refusals } from '@tern/messages/en/problems'
import { receipt } from '@tern/messages/en/receipt'
import { requestFields } from '@tern/messages/en/request-fields'
import { statements } from '@tern/messages/en/statements'
import { verificationFields } from '@tern/messages/en/verification-fields'
import { type Language, negotiate } from '@tern/messages/language'
import type { InAnyLanguage } from '@tern/messages/message'

const english = {
  activity,
  fields,
  requestFields,
  verificationFields,
  mails,
  operator,
  receipt,
  statements,
  refusals,
  reasons,
  ofField,
}

export type Messages = { readonly language: Language } & InAnyLanguage<typeof english>

/** Catalogues by language code, English first. */
export type Catalogues = ReadonlyMap<string, Messages>

const inEnglish: Messages = { language, ...english }
const parts = [
  'activity',
  'fields',
  'language',
  'mails',
  'operator',
  'problems',
  'receipt',
  'request-fields',
  'statements',
  'verification-fields',
] as const

/** Reads the catalogues of all languages that have a folder of messages, English first. */
export async function readCatalogues(
  folder = path.dirname(path.dirname(fileURLToPath(import.meta.resolve('@tern/messages/en/language')))),
): Promise<Catalogues> {
  const codes = readdirSync(folder).filter(
    (code) => code !== 'en' && existsSync(path.join(folder, code, 'language.ts')),
  )
  const translations = codes.map(async (code) => {
    const modules = parts.map((part) => import(pathToFileURL(path.join(folder, code, `${part}.ts`)).href))
    return [code, Object.assign({}, ...(await Promise.all(modules))) as Messages] as const
  })
  return new Map([['en', inEnglish], ...(await Promise.all(translations))])
}

/** Returns the catalogue for an `Accept-Language` header. */
export function chooseCatalogue(catalogues: Catalogues, acceptLanguage: string | undefined): Messages {
  if (acceptLanguage === undefined) return inEnglish
  const code = negotiate(acceptLanguage, ['en', ...catalogues.keys()])
  return catalogues.get(code) ?? inEnglish
}

const currentMessages = new AsyncLocalStorage<Messages>()

/** Runs `work` with this catalogue for `currentRequestMessages`. */
export const withMessages = <T>(messages: Messages, work: () => T): T => currentMessages.run(messages, work)

/** Returns the catalogue of the current request's language; English outside `withMessages`. */
export const currentRequestMessages = (): Messages => currentMessages.getStore() ?? inEnglish
