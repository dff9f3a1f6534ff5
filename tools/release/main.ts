// node tools/run.mjs tools/release FOLDER: writes the files of a release of the checked-out commit.

import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ReleaseError, writeRelease } from './release.ts'

const [folder] = process.argv.slice(2)
try {
  if (folder === undefined) throw new ReleaseError('Which folder? node tools/run.mjs tools/release FOLDER')
  const root = fileURLToPath(new URL('../..', import.meta.url))
  for (const file of writeRelease({ root, folder })) console.log(path.join(folder, file))
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
