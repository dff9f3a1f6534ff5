// Rules for the form of the changelog: versions, groups by reader, and short entries.

import type { SourceFile } from './house-rules.ts'

const maxWords = 20
const versionHeading = /^## (\d+\.\d+\.\d+|Unreleased)( - \d{4}-\d{2}-\d{2})?$/
const groups = ['### For users', '### For operators', '### For integrators', '### For developers']

/** Counts the visible words; the address of a link is not visible. */
const countWords = (entry: string) => entry.replaceAll(/\]\([^)]*\)/g, ']').split(/\s+/).length

/** Checks that each version has its groups in order, and that each entry is one short line ending with a full stop. */
export const changelogIsShort = (files: readonly SourceFile[]): string[] => {
  const changelog = files.find(({ path: file }) => file === 'CHANGELOG.md')
  if (changelog === undefined) return []
  const lines = changelog.text.split('\n')
  const body = lines.slice(lines.findIndex((line) => line.startsWith('## ')))
  let group = -1
  return body.flatMap((line) => {
    if (line === '') return []
    const describeProblem = (sentence: string) => [`CHANGELOG.md: ${sentence}: ${line}`]
    if (line.startsWith('### ')) {
      const isGroupInOrder = groups.indexOf(line) > group
      group = groups.indexOf(line)
      return isGroupInOrder ? [] : describeProblem('is no group, or out of order')
    }
    if (line.startsWith('#')) {
      group = -1
      return versionHeading.test(line) ? [] : describeProblem('is no version')
    }
    if (!line.startsWith('- ')) return group === -1 ? [] : describeProblem('is no entry of one line')
    if (group === -1) return describeProblem('is in no group')
    if (!line.endsWith('.')) return describeProblem('does not end with a full stop')
    const words = countWords(line.slice(2))
    return words > maxWords ? describeProblem(`has ${words} words; ${maxWords} are the most`) : []
  })
}
