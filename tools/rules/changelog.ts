// Rules for the form of the changelog: versions, groups by reader, and short entries.

import type { SourceFile } from './house-rules.ts'

const mostWords = 20
const versionHeading = /^## (\d+\.\d+\.\d+|Unreleased)( - \d{4}-\d{2}-\d{2})?$/
const groups = ['### For users', '### For operators', '### For integrators', '### For developers']

/** Counts the visible words; a link counts by its text. */
const countWords = (entry: string) => entry.replaceAll(/\]\([^)]*\)/g, ']').split(/\s+/).length

/** Checks that each version has its groups in order, and that each entry is one line ending with a full stop. */
export const changelogIsShort = (files: readonly SourceFile[]): string[] => {
  const changelog = files.find(({ path: file }) => file === 'CHANGELOG.md')
  if (changelog === undefined) return []
  const lines = changelog.text.split('\n')
  const body = lines.slice(lines.findIndex((line) => line.startsWith('## ')))
  let group = -1
  return body.flatMap((line) => {
    if (line === '') return []
    const wrong = (sentence: string) => [`CHANGELOG.md: ${sentence}: ${line}`]
    if (line.startsWith('### ')) {
      const isInOrder = groups.indexOf(line) > group
      group = groups.indexOf(line)
      return isInOrder ? [] : wrong('is no group, or out of order')
    }
    if (line.startsWith('#')) {
      group = -1
      return versionHeading.test(line) ? [] : wrong('is no version')
    }
    if (!line.startsWith('- ')) return group === -1 ? [] : wrong('is no entry of one line')
    if (group === -1) return wrong('is in no group')
    if (!line.endsWith('.')) return wrong('does not end with a full stop')
    const words = countWords(line.slice(2))
    return words > mostWords ? wrong(`has ${words} words; ${mostWords} are the most`) : []
  })
}
