// Compiled code of the product's programs. A process that compiles TypeScript itself keeps the compiler, some 40 MB, until it
// ends; one that finds its modules compiled in Node's compile cache never loads it.

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
 * Compiles all modules of app, worker and sandbox into Node's compile cache, unless that was done since the last change.
 * Without a cache it does nothing. A failure is left to the processes, which then compile for themselves.
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

/** Digest of the names, sizes and times of all sources: a mistake costs memory, never correctness. */
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

/** Without a stamp, as on a full disk, the next start compiles again. */
function writeStamp(file: string, stamp: string): void {
  try {
    fs.writeFileSync(file, stamp)
  } catch {
    // The start itself says what is wrong with the disk.
  }
}
