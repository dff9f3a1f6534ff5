// Rules about the Node versions that commands run on.

import type { SourceFile } from './house-rules.ts'

type Rule = (files: readonly SourceFile[]) => string[]

const oldestPattern = /const neededNode = \[(\d+), (\d+)\]/
const packagePattern = /^node-(?:bin-)?(?:darwin|linux|win)-/

/**
 * Refuses the property `main` of `import.meta`: before Node 24.2 commands that use it silently do nothing. `isMain`
 * works on any version.
 */
export const noImportMetaMain: Rule = (files) =>
  files
    .filter(({ path: file, text }) => /\.(?:[cm]?[jt]s|tsx)$/.test(file) && /\bimport\.meta\.main\b/.test(text))
    .map(
      ({ path: file }) => `${file}: asks import.meta for main, which Node has from 24.2 on; use isMain(import.meta).`,
    )

/** Every platform installs an accepted Node, and code is checked against the types of the oldest accepted one. */
export const acceptedNodes: Rule = (files) => {
  const findText = (name: string) => files.find(({ path: file }) => file === name)?.text
  const manifest = JSON.parse(findText('package.json') ?? '{}') as Record<string, Record<string, string> | undefined>
  const [, major = '', minor = ''] = oldestPattern.exec(findText('tools/bootstrap.mjs') ?? '') ?? []
  const suggestedVersion = findText('.nvmrc')?.trim() ?? major
  const types = manifest.devDependencies?.['@types/node'] ?? ''
  const outdatedPackages = Object.entries(manifest.optionalDependencies ?? {}).filter(
    ([name, version]) => packagePattern.test(name) && isOlder(version, { major: Number(major), minor: Number(minor) }),
  )
  return [
    ...(types.startsWith(`${major}.${minor}.`) ? [] : [`package.json: @types/node is not of Node ${major}.${minor}.`]),
    ...(suggestedVersion === major ? [] : [`.nvmrc: suggests Node ${suggestedVersion}, not ${major}.`]),
    ...outdatedPackages.map(
      ([name, version]) => `package.json: ${name} ${version} is older than Node ${major}.${minor}.`,
    ),
  ]
}

function isOlder(version: string, oldest: { readonly major: number; readonly minor: number }): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < oldest.major || (major === oldest.major && minor < oldest.minor)
}
