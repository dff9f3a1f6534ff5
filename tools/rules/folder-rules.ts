// Rules about folders: the direction of their imports. Also the rule about the table of attacks in docs/risk.md.

import { listImports, type SourceFile } from './house-rules.ts'

type Rule = (files: readonly SourceFile[]) => string[]

const isCode = ({ path: file }: SourceFile) => /\.(ts|tsx|mjs)$/.test(file)
const isTest = (file: string) => /\.(test|journey)\.tsx?$|\/test-[^/]+\.ts$/.test(file)

/** Folders of a package, lowest first; a folder must not import from a higher one. */
const layers: Record<string, readonly string[]> = {
  'packages/server/src/': ['platform/', 'features/', 'commands/'],
  'packages/web/src/': ['ui/', 'app/', 'features/'],
}

export const noUpwardImports: Rule = (files) =>
  Object.entries(layers).flatMap(([base, order]) =>
    files
      .filter((file) => isCode(file) && !isTest(file.path) && file.path.startsWith(base))
      .flatMap((file) =>
        listImports(file).flatMap(({ specifier, target }) => {
          const findLayer = (name: string) => order.findIndex((layer) => name.startsWith(base + layer))
          const [from, to] = [findLayer(file.path), findLayer(target ?? '')]
          return from !== -1 && to > from ? [`${file.path}: ${order[from]} may not import ${specifier}.`] : []
        }),
      ),
  )

/** Imports between sibling folders form no cycle, except imports of types. */
export const noImportCycles: Rule = (files) => {
  const importsByFolder = new Map<string, Set<string>>()
  for (const file of files) {
    if (!isCode(file) || isTest(file.path) || !file.path.startsWith('packages/')) continue
    for (const { target, isType } of listImports(file)) {
      const pair = isType || target === undefined ? undefined : findSiblings(file.path, target)
      if (pair) importsByFolder.set(pair[0], (importsByFolder.get(pair[0]) ?? new Set()).add(pair[1]))
    }
  }
  return [...importsByFolder.keys()].flatMap((folder) => {
    const cycle = findCycle(folder, importsByFolder)
    return cycle ? [`${cycle.join(' → ')}: import each other in a circle.`] : []
  })
}

/** Returns the sibling folders that contain the two files; undefined if one file's folder contains the other. */
function findSiblings(one: string, other: string): [string, string] | undefined {
  const [a, b] = [one.split('/'), other.split('/')]
  const first = a.findIndex((part, index) => part !== b[index])
  if (first >= a.length - 1 || first >= b.length - 1) return undefined
  return [a.slice(0, first + 1).join('/'), b.slice(0, first + 1).join('/')]
}

function findCycle(start: string, importsByFolder: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const queue: string[][] = [[start]]
  const visited = new Set<string>()
  for (let pathSoFar = queue.shift(); pathSoFar; pathSoFar = queue.shift()) {
    for (const folder of importsByFolder.get(pathSoFar.at(-1) ?? '') ?? []) {
      // Each cycle is reported once, from its alphabetically first folder.
      if (folder === start) {
        if (pathSoFar.every((other) => other >= start)) return [...pathSoFar, start]
        continue
      }
      if (!visited.has(folder)) queue.push([...pathSoFar, folder])
      visited.add(folder)
    }
  }
  return undefined
}

/** Returns whether the first argument of a call in `text` begins with `argument`. */
function isCallArgument(text: string, argument: string): boolean {
  for (let at = text.indexOf(argument); at !== -1; at = text.indexOf(argument, at + 1)) {
    if (text.slice(0, at).trimEnd().endsWith('(')) return true
  }
  return false
}

/** Every row of the table in docs/risk.md names, in its last column, the beginning of a test's title. */
export const attacksHaveTests = (files: readonly SourceFile[]): string[] => {
  const tests = files.filter(({ path: file }) => file.endsWith('.test.ts')).map(({ text }) => text)
  const isTitle = (title: string) =>
    tests.some((text) => ["'", '`', '"'].some((quote) => isCallArgument(text, `${quote}${title}`)))
  const table = files.find(({ path: file }) => file === 'docs/risk.md')?.text ?? ''
  const rows = [...table.matchAll(/^\| (?!Attack \||-)(.+?) \| .+ \| (.*?) ?\|$/gm)]
  return rows
    .filter(([, , cell = '']) => !isTitle(/^`([^`]+)`$/.exec(cell)?.[1] ?? '\n'))
    .map(([, attack]) => `docs/risk.md: no test plays "${attack ?? ''}".`)
}
