import fs from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const project = new URL('../../../../../', import.meta.url)

const readText = (file: string): string | undefined => {
  try {
    return fs.readFileSync(fileURLToPath(new URL(file, project)), 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Returns the commit of a checkout; undefined in an installation without one. */
function readCommit(): string | undefined {
  const head = readText('.git/HEAD')
  const reference = /^ref: (\S+)$/.exec(head ?? '')?.[1]
  if (reference === undefined) return head
  const packed = new RegExp(`^([0-9a-f]{40}) ${reference}$`, 'm')
  return readText(`.git/${reference}`) ?? packed.exec(readText('.git/packed-refs') ?? '')?.[1]
}

/**
 * Returns the version, the commit and the version of Node.js that run. An image without a checkout names its commit in
 * `TERN_COMMIT`.
 */
export function readBuildInfo(): { readonly version: string; readonly commit: string; readonly node: string } {
  const { version } = JSON.parse(readText('package.json') ?? '{}') as { version?: string }
  return {
    version: version ?? 'unknown',
    commit: process.env.TERN_COMMIT || readCommit() || 'unknown',
    node: process.versions.node,
  }
}
