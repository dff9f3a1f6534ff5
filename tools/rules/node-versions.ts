// Rules about the versions of Node that commands run on.

import type { SourceFile } from './house-rules.ts'

type Rule = (files: readonly SourceFile[]) => string[]

const oldestPattern = /const neededNode = \[(\d+), (\d+)\]/
const packagePattern = /^node-(?:bin-)?(?:darwin|linux|win)-/

/** A command that asks Node whether it is the program does nothing before Node 24.2, without a word; `isMain` works on any. */
export const commandsKnowThemselves: Rule = (files) =>
  files
    .filter(({ path: file, text }) => /\.(?:[cm]?[jt]s|tsx)$/.test(file) && /\bimport\.meta\.main\b/.test(text))
    .map(
      ({ path: file }) => `${file}: asks import.meta for main, which Node has from 24.2 on; use isMain(import.meta).`,
    )

/** Every platform gets the same Node, and code is checked against the types of the oldest that is accepted. */
export const oneNodeForAll: Rule = (files) => {
  const textOf = (name: string) => files.find(({ path: file }) => file === name)?.text
  const manifest = JSON.parse(textOf('package.json') ?? '{}') as Record<string, Record<string, string> | undefined>
  const [, major = '', minor = ''] = oldestPattern.exec(textOf('tools/bootstrap.mjs') ?? '') ?? []
  const types = manifest.devDependencies?.['@types/node'] ?? ''
  const installed = Object.entries(manifest.optionalDependencies ?? {}).filter(([name]) => packagePattern.test(name))
  const versions = new Set(installed.map(([, version]) => version))
  return [
    ...(types.startsWith(`${major}.${minor}.`) ? [] : [`package.json: @types/node is not of Node ${major}.${minor}.`]),
    ...(versions.size === 1 ? [] : [`package.json: Node has several versions: ${[...versions].join(', ')}.`]),
  ]
}
