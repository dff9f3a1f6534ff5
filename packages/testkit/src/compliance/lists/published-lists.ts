import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import type { ListFile } from '@tern/server/features/compliance/screening/lists/read-files'

export const publishedPath = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Reads a list in this folder by its published name; decompresses it if it is stored as `.br`. */
export function publishedFile(name: string): ListFile {
  const file = new URL(name, import.meta.url)
  if (fs.existsSync(file)) return { name, bytes: fs.readFileSync(file) }
  return { name, bytes: brotliDecompressSync(fs.readFileSync(new URL(`${name}.br`, import.meta.url))) }
}

/** Reads the lists of OFAC and the United Nations, with about 24,000 names. */
export const publishedLists = (): ListFile[] =>
  ['sdn.csv', 'alt.csv', 'add.csv', 'cons_prim.csv', 'UN_consolidated.xml'].map(publishedFile)
