// The program of an earlier commit, in a folder of its own with its packages and pages.

import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { ownRoot } from '../../harness/harness.ts'

const execute = promisify(execFile)
const maxBuffer = 100_000_000

/** Commit of release 0.1.0. */
export const releasedCommit = '79d970f22'

const buildAttempts = 2

/**
 * Prepares the program of a commit in `.cache/programs`, once, and returns its folder. Its packages are those of this
 * program if it requires the same versions; otherwise npm installs them.
 */
export async function prepareProgram(ref: string, print: (sentence: string) => void): Promise<string> {
  const { stdout } = await execute('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: ownRoot })
  const commit = stdout.trim()
  const folder = path.join(ownRoot, '.cache', 'programs', commit)
  const readyFile = path.join(folder, '.cache', 'ready')
  if (fs.existsSync(readyFile)) return folder
  print(`Preparing the program of ${ref} …`)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const archive = path.join(folder, 'archive.tar')
  await execute('git', ['archive', '--output', archive, commit], { cwd: ownRoot })
  await execute('tar', ['-xf', archive], { cwd: folder })
  fs.rmSync(archive)
  const own = readVersions(ownRoot)
  if ([...readVersions(folder)].every(([name, version]) => own.get(name) === version))
    await execute('cp', ['-al', 'node_modules', folder], { cwd: ownRoot })
  else await execute('npm', ['ci', '--prefer-offline'], { cwd: folder, maxBuffer })
  await buildPages(folder)
  fs.mkdirSync(path.dirname(readyFile), { recursive: true })
  fs.writeFileSync(readyFile, '')
  return folder
}

/** Builds the English pages of a program. A busy machine may miss the time limit of the prerendering. */
async function buildPages(folder: string): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await execute('npm', ['run', 'build', '--workspace', 'packages/web'], { cwd: folder, env, maxBuffer })
      return
    } catch (error) {
      if (attempt === buildAttempts) throw error
    }
  }
}

type Versions = ReadonlyMap<string, string>

/** Returns the exact versions of the packages that the program in a folder names. */
function readVersions(folder: string): Versions {
  const packages = path.join(folder, 'packages')
  const files = [
    path.join(folder, 'package.json'),
    ...fs.readdirSync(packages).map((name) => path.join(packages, name, 'package.json')),
  ].filter((file) => fs.existsSync(file))
  return new Map(
    files.flatMap((file) => {
      const { dependencies, devDependencies } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
        dependencies?: Record<string, string>
        devDependencies?: Record<string, string>
      }
      return Object.entries({ ...dependencies, ...devDependencies })
    }),
  )
}
