// Reads the reports of Vitest and Playwright: number of passed tests, and reasons of failures.

import { stripVTControlCharacters } from 'node:util'
import type { JSONReport, JSONReportSuite } from '@playwright/test/reporter'
import type { JsonTestResults } from 'vitest/node'

export interface TestOutcome {
  passedCount: number
  /** File, title and first lines of the error, for each failed test. */
  failures: readonly string[]
}

const maxErrorLines = 12

function describe(location: string, error = ''): string {
  const lines = stripVTControlCharacters(error).trim().split('\n').slice(0, maxErrorLines)
  return [location, ...lines.map((line) => `    ${line}`)].join('\n')
}

/** Returns the outcome of a Vitest run. A file that cannot be loaded counts as one failure. */
export function readVitest({ numPassedTests, testResults }: JsonTestResults): TestOutcome {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failedTests = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failedTests.length === 0) return [describe(name, message)]
    return failedTests.map((test) => describe(`${name} › ${test.fullName}`, test.failureMessages?.[0]))
  })
  return { passedCount: numPassedTests, failures }
}

/** Returns the outcome of a Playwright run. Errors outside tests count only if no test failed. */
export function readPlaywright({ stats, suites, errors }: JSONReport): TestOutcome {
  const listSpecs = (suite: JSONReportSuite): JSONReportSuite['specs'] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(listSpecs),
  ]
  const failures = suites
    .flatMap(listSpecs)
    .filter(({ ok }) => !ok)
    .map(({ file, line, title, tests }) => {
      const error = tests.flatMap(({ results }) => results).find((result) => result.error !== undefined)?.error
      return describe(`${file}:${line} › ${title}`, error?.message)
    })
  const passedCount = stats.expected + stats.flaky
  return {
    passedCount,
    failures: failures.length > 0 ? failures : errors.map(({ message }) => describe('outside', message)),
  }
}
