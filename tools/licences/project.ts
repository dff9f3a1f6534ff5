import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Lock } from './lock.ts'
import type { Sbom } from './sbom.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const rootFile = (name: string) => `${root}${name}`

export const readLock = () => JSON.parse(fs.readFileSync(rootFile('package-lock.json'), 'utf8')) as Lock

/** Returns npm's bill of materials for the whole lock file: every platform, installed or not. */
export function npmSbom(): Sbom {
  const parameters = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const text = execFileSync('npm', parameters, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  return JSON.parse(text) as Sbom
}
