import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatLists, holidayLists } from './holidays.ts'

describe('lists of bank holidays', () => {
  test.each(holidayLists)('$file agrees with the package date-holidays', ({ file, list }) => {
    expect(fs.readFileSync(file, 'utf8'), 'run node tools/run.mjs tools/holidays/holidays.ts').toBe(formatLists(list))
  })
})
