import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from './tools/browser.ts'

// The journeys run against a whole product of their own (tools/journey-setup.ts), which tells its address by environment.
const movesMarket = ['**/exchange/*.journey.ts', '**/money/{send-crypto,wallet}.journey.ts']
// These walk through forms, as people do who ask for less motion: a fifth less CPU. Every page moves in the other journeys,
// and a transfer in its own.
const standsStill = ['**/{desk,money,people}/*.journey.ts', '**/transfers/!(flight).journey.ts']
const lessMotion = { contextOptions: { reducedMotion: 'reduce' as const } }

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
    // These move the prices of cryptocurrency, or live by them: one at a time.
    { name: 'market', testMatch: movesMarket, workers: 1, use: lessMotion },
    { name: 'forms', testMatch: standsStill, testIgnore: movesMarket, use: lessMotion },
    { name: 'others', testMatch: '**/*.journey.ts', testIgnore: [...movesMarket, ...standsStill] },
  ],
  reporter: [['list']],
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    baseURL: process.env.E2E_URL,
    launchOptions: await findBrowser(),
    locale: 'en-US',
    // A trace of every journey costs a third of their time; TRACE=on keeps those of journeys that fail.
    trace: process.env.TRACE === 'on' ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
  },
})
