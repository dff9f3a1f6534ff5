// For tests: small screening lists in the formats of their publishers, and all required lists.

import { publishedFile } from './lists/published-lists.ts'
import type { ListFile } from '@tern/server/features/compliance/compliance'
import type { TestApp } from '../app.ts'

const toListFile = (name: string, text: string): ListFile => ({ name, bytes: new TextEncoder().encode(text) })

const names = Array.from({ length: 10 }, (_, index) => `KARVE${index}, Anselm`)

/** Returns the two files of OFAC, with ten people by default. */
export const ofacFiles = (people: readonly string[] = names): ListFile[] => [
  toListFile(
    'sdn.csv',
    `${people.map((name, index) => `${index + 1},"${name}","individual","TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- `).join('\r\n')}\r\n\u001A`,
  ),
  toListFile('alt.csv', '1,1,"aka","KARVE, Zed",-0- \r\n'),
]

/** Returns the file of the United Nations, with ten people by default. */
export const createUnFile = (people: readonly string[] = names): ListFile =>
  toListFile(
    'consolidated.xml',
    `<?xml version="1.0"?><CONSOLIDATED_LIST dateGenerated="2026-08-01T00:00:00Z"><INDIVIDUALS>${people
      .map((name, index) => `<INDIVIDUAL><DATAID>${index + 1}</DATAID><FIRST_NAME>${name}</FIRST_NAME></INDIVIDUAL>`)
      .join('')}</INDIVIDUALS></CONSOLIDATED_LIST>`,
  )

export const requiredFiles = (people?: readonly string[]): ListFile[] => [
  ...ofacFiles(people),
  createUnFile(),
  publishedFile('eu.csv'),
  publishedFile('uk.csv'),
]

/** Imports all required lists, with these people on the list of OFAC. Screens no accounts. */
export async function importRequired({ app }: Pick<TestApp, 'app'>, people?: readonly string[]): Promise<void> {
  await app.product.compliance.importLists(requiredFiles(people), true)
}
