// Reports long files and full folders that may need dividing; not a rule.

import path from 'node:path'
import type { SourceFile } from './house-rules.ts'

const manyLines = 400
const manyFiles = 20

/**
 * Returns a sentence per file of more than 400 lines and per folder of more than 20 files; tests and schemas do not
 * count.
 */
export function reportLargeFiles(files: readonly SourceFile[]): string[] {
  const code = files.filter(({ path: file }) => /\.(ts|tsx|mjs)$/.test(file) && !/\.(test|journey)\.tsx?$/.test(file))
  const longFiles = code
    .map(({ path: file, text }) => ({ file, lines: text.split('\n').length }))
    .filter(({ lines }) => lines > manyLines)
    .map(({ file, lines }) => `${file} has ${lines} lines.`)
  const folders = Map.groupBy(code, ({ path: file }) => path.posix.dirname(file))
  const crowdedFolders = [...folders]
    .filter(([, { length }]) => length > manyFiles)
    .map(([folder, { length }]) => `${folder} holds ${length} files.`)
  return [...longFiles, ...crowdedFolders]
}
