// Files of a release: the source, its bill of materials, the notes, and the checksums of all. The same commit gives the
// same bytes.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { npmSbom, readLock } from '../licences/project.ts'
import { productionPackages } from '../licences/lock.ts'
import { productionSbom } from '../licences/sbom.ts'

/** Reason why there can be no release; the message is a sentence for whoever makes it. */
export class ReleaseError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ReleaseError'
  }
}

export interface ReleaseOptions {
  /** Checkout to release, at the commit of the release. */
  readonly root: string
  /** Folder to write, which must not exist. */
  readonly folder: string
}

const git = (root: string, ...parameters: readonly string[]): Buffer =>
  execFileSync('git', ['-C', root, ...parameters], { maxBuffer: 1_000_000_000 })

/** Writes the files and returns their names. Throws ReleaseError before it writes anything. */
export function writeRelease({ root, folder }: ReleaseOptions): string[] {
  const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
  const manifest = JSON.parse(read('package.json')) as { name: string; version: string }
  const { version } = manifest
  const notesFile = `docs/releases/${version}.md`
  if (fs.existsSync(folder)) throw new ReleaseError(`${folder} exists; a release needs a new folder.`)
  if (git(root, 'status', '--porcelain').length > 0) throw new ReleaseError('The checkout has changes; commit them.')
  if (!fs.existsSync(path.join(root, notesFile))) throw new ReleaseError(`${notesFile} is missing.`)
  const [newestHeading = ''] = /^## .*$/m.exec(read('CHANGELOG.md')) ?? []
  if (!newestHeading.startsWith(`## ${version} - `)) {
    throw new ReleaseError(`CHANGELOG.md begins with "${newestHeading}" instead of version ${version} and its date.`)
  }
  const name = `tern-${version}`
  // Git gives every file the time of the commit, and gzip's header has none.
  const archive = gzipSync(git(root, 'archive', '--format=tar', `--prefix=${name}/`, 'HEAD'), { level: 9 })
  const files: Readonly<Record<string, string | Buffer>> = {
    [`${name}.tar.gz`]: archive,
    [`${name}.cdx.json`]: createSbom(root, manifest),
    [`${name}.md`]: read(notesFile),
  }
  const checksums = Object.entries(files).map(
    ([file, content]) => `${createHash('sha256').update(content).digest('hex')}  ${file}\n`,
  )
  fs.mkdirSync(folder, { recursive: true })
  for (const [file, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, file), content)
  fs.writeFileSync(path.join(folder, 'SHA256SUMS'), checksums.join(''))
  return [...Object.keys(files), 'SHA256SUMS']
}

/** Returns the bill of materials, with the time of the commit and a serial number derived from it. */
function createSbom(root: string, manifest: { name: string; version: string }): string {
  const [commit = '', time = ''] = git(root, 'show', '--no-patch', '--format=%H %cI', 'HEAD')
    .toString()
    .trim()
    .split(' ')
  const sbom = productionSbom(npmSbom(), productionPackages(readLock()), manifest)
  const digest = createHash('sha256').update(`${manifest.name} ${manifest.version} ${commit}`).digest('hex')
  // The bits that make a UUID of version 8.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `a${digest.slice(17, 20)}`]
  const serialNumber = `urn:uuid:${parts.join('-')}-${digest.slice(20, 32)}`
  const metadata = { ...sbom.metadata, timestamp: new Date(time).toISOString() }
  return `${JSON.stringify({ ...sbom, serialNumber, metadata }, null, 2)}\n`
}
