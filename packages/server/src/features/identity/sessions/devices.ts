import parser from 'my-ua-parser'

const longestRead = 500
const longestName = 60

// Common names.
const families: Readonly<Record<string, string>> = {
  'Mobile Safari': 'Safari',
  'Chrome Headless': 'Chrome',
  'Chrome WebView': 'Chrome',
  'Mobile Chrome': 'Chrome',
  'Mobile Firefox': 'Firefox',
  'Mac OS': 'Mac',
  macOS: 'Mac',
  iOS: 'iPhone',
  'Chromium OS': 'ChromeOS',
  'Chrome OS': 'ChromeOS',
}

/**
 * A device's common name, such as 'Chrome on Linux' or 'Safari on iPhone'. The header is untrusted: only plain names
 * are taken, nothing that mail programs link, at most 60 characters.
 */
export function deviceName(userAgent: string): string {
  const { browser, os, device } = parser.UAParser(userAgent.slice(0, longestRead))
  const program = plainName(browser.name)
  const system = device.model === 'iPad' ? 'iPad' : plainName(os.name)
  if (program === undefined) return system === undefined ? 'Unknown device' : `Unknown browser on ${system}`
  return (system === undefined ? program : `${program} on ${system}`).slice(0, longestName)
}

function plainName(name: string | undefined): string | undefined {
  const called = families[name ?? ''] ?? name
  return called !== undefined && /^[A-Za-z0-9][A-Za-z0-9 +-]{0,23}$/.test(called) ? called : undefined
}
