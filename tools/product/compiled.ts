// Compile cache of the product's programs. A process that compiles TypeScript keeps the compiler, about 40 MB, in
// memory until it exits; one that finds its modules in Node's compile cache never loads it.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const packages = path.join(root, 'packages')
const program = fileURLToPath(new URL('compile.ts', import.meta.url))

/**
 * Compiles all modules of app, worker and sandbox into Node's compile cache if a source has changed since the last
 * success. Does nothing without a cache. Ignores failures, since each process can compile its own modules.
 */
export async function compilePrograms(): Promise<void> {
  const cache = getCompileCacheDir()
  if (cache === undefined) return
  const stampFile = path.join(cache, 'compiled')
  const stamp = stampSources()
  if (readStamp(stampFile) === stamp) return
  const child = spawn(process.execPath, [program, 'product'], { stdio: 'ignore' })
  const isCompiled = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
  if (isCompiled) writeStamp(stampFile, stamp)
}

/** Returns a digest of names, sizes and times of the sources. A false match costs memory, never correctness. */
function stampSources(): string {
  const hash = createHash('sha256')
  const entries = [path.join(root, 'package-lock.json')]
  for (const name of fs.readdirSync(packages)) {
    if (name !== 'web') entries.push(...listSources(path.join(packages, name, 'src')))
  }
  for (const file of entries) {
    const { size, mtimeMs } = fs.statSync(file)
    hash.update(`${path.relative(root, file)}\0${size}\0${mtimeMs}\0`)
  }
  return hash.digest('hex')
}

function listSources(folder: string): string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .toSorted()
}

function readStamp(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined
}

/** Writes the stamp; if that fails, as on a full disk, the next start compiles again. */
function writeStamp(file: string, stamp: string): void {
  try {
    fs.writeFileSync(file, stamp)
  } catch {
    // The start itself reports problems with the disk.
  }
}
