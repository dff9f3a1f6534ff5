// Folder of a resolution pack. Its files are readable only for their owner, and its manifest has the SHA-256 of each, as
// `sha256sum --check` reads it.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { OperatorError } from '../../platform/refuse.ts'

export const manifestName = 'MANIFEST.sha256'

export interface PackFolder {
  readonly folder: string
  readonly manifest: fs.promises.FileHandle
}

/** Creates the folder of a pack. Throws OperatorError if it has files. */
export async function openPack(folder: string): Promise<PackFolder> {
  if (fs.existsSync(folder) && fs.readdirSync(folder).length > 0) {
    throw new OperatorError(`${folder} is not empty. Name a new folder, or delete this one.`)
  }
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  fs.chmodSync(folder, 0o700)
  return { folder, manifest: await openFile(path.join(folder, manifestName)) }
}

const openFile = (file: string): Promise<fs.promises.FileHandle> => fs.promises.open(file, 'wx', 0o600)

/** Writes a file of the pack piece by piece, and its line in the manifest. */
export async function writePackFile(
  { folder, manifest }: PackFolder,
  name: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const file = path.join(folder, name)
  await fs.promises.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const handle = await openFile(file)
  const hash = createHash('sha256')
  try {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece)
      hash.update(bytes)
      await handle.write(bytes)
    }
  } finally {
    await handle.close()
  }
  await manifest.write(`${hash.digest('hex')}  ${name}\n`)
}
