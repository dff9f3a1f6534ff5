import { expect, test } from 'vitest'
import { changelogIsShort } from './changelog.ts'

const check = (...lines: string[]) =>
  changelogIsShort([{ path: 'CHANGELOG.md', text: ['# Changelog', '', ...lines, ''].join('\n') }])
const version = ['## 1.2.3 - 2026-11-28', '', 'The [notes](a.md).', '']
const words = (count: number) => `- ${Array.from({ length: count }, () => 'word').join(' ')}.`

test('a changelog of short entries by version and reader passes', () => {
  const entries = [words(20), `- See [${'a '.repeat(17).trim()}](docs/a b c.md).`]
  expect(
    check('## Unreleased', '', ...version, '### For users', '', ...entries, '', '### For developers', words(1)),
  ).toEqual([])
  expect(
    check(...version, '### For operators', words(1), '', '## 1.2.2 - 2026-11-01', '### For users', words(1)),
  ).toEqual([])
})

test('long and wrapped entries, unknown groups and headings are found', () => {
  for (const lines of [
    ['### For users', words(21)],
    ['### For users', words(3), '  and another line'],
    ['### For users', '- without a full stop'],
    ['### For cats', words(1)],
    ['### For developers', words(1), '### For users', words(1)],
    ['### For users', words(1), '### For users', words(1)],
    [words(1)],
    ['## Next version'],
  ]) {
    expect(check(...version, ...lines).length, lines.join('\n')).toBeGreaterThan(0)
  }
})
