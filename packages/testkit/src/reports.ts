// Reads the reports of Vitest and Playwright: number of passed tests, and reasons of failures.

import { stripVTControlCharacters } from 'node:util'

export interface TestOutcome {
  passedCount: number
  /** File, title and first lines of the error, for each failed test. */
  failures: readonly string[]
}

interface VitestReport {
  numPassedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs: {
    title: string
    file: string
    line: number
    isPassed: boolean
    tests: { results: { error?: PlaywrightError }[] }[]
  }[]
}

interface PlaywrightError {
  message?: string
}

interface PlaywrightReport {
  stats: { expected: number; flaky: number }
  suites: PlaywrightSuite[]
  errors: PlaywrightError[]
}

const maxErrorLines = 12

function describe(location: string, error = ''): string {
  const lines = stripVTControlCharacters(error).trim().split('\n').slice(0, maxErrorLines)
  return [location, ...lines.map((line) => `    ${line}`)].join('\n')
}

/** Returns the outcome of a Vitest run. A file that cannot be loaded counts as one failure. */
export function readVitest({ numPassedTests, testResults }: VitestReport): TestOutcome {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failedTests = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && failedTests.length === 0) return [describe(name, message)]
    return failedTests.map((test) => describe(`${name} › ${test.fullName}`, test.failureMessages[0]))
  })
  return { passedCount: numPassedTests, failures }
}

/** Returns the outcome of a Playwright run. Errors outside tests count only if no test failed. */
export function readPlaywright({ stats, suites, errors }: PlaywrightReport): TestOutcome {
  const listSpecs = (suite: PlaywrightSuite): PlaywrightSuite['specs'] => [
    ...suite.specs,
    ...(suite.suites ?? []).flatMap(listSpecs),
  ]
  const failures = suites
    .flatMap(listSpecs)
    .filter(({ isPassed }) => !isPassed)
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
