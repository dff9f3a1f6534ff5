import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from './tools/browser.ts'

// The journeys run against a separate whole product (tools/journey-setup.ts), whose address is in the environment.

// These journeys change the prices of cryptocurrency, or depend on them.
const movesMarket = ['**/exchange/*.journey.ts', '**/money/{send-crypto,wallet}.journey.ts']
// Waits for deadlines, so it starts early: started last, it would run alone at the end.
const oneAtATime = [...movesMarket, '**/transfers/undo.journey.ts']

// Journeys through forms request reduced motion: a fifth less CPU. Those about the pages themselves enable motion.
const lessMotion = { reducedMotion: 'reduce' as const }

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './tools/journey-setup.ts',
  fullyParallel: true,
  // Twice the usual two cores: journeys wait as much as they compute.
  workers: 4,
  // Timeouts are for hangs only: a busy machine must not fail a passing test.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  projects: [
    { name: 'one at a time', testMatch: oneAtATime, workers: 1 },
    // One project for the rest, since each project starts its own workers and browsers.
    { name: 'others', testMatch: '**/*.journey.ts', testIgnore: oneAtATime },
  ],
  reporter: [['list']],
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    baseURL: process.env.E2E_URL,
    launchOptions: await findBrowser(),
    contextOptions: lessMotion,
    locale: 'en-US',
    // A trace of every journey costs a third of their time; TRACE=on keeps those of journeys that fail.
    trace: process.env.TRACE === 'on' ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
  },
})
