import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/** Reads a Brotli-compressed file of names and their readings. */
export const readNameFile = (file: string): string =>
  brotliDecompressSync(readFileSync(new URL(`../../../../../../names/${file}`, import.meta.url))).toString('utf8')
