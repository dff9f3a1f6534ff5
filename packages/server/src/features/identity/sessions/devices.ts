import parser from 'my-ua-parser'
import { type Device, deviceInWords } from '../../../platform/devices.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'

const maxParsedLength = 500

// Familiar names of browsers and systems, by the names that the parser returns.
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
 * Parses the browser and system of a user agent. The header is untrusted: names that mail programs could turn into
 * links are dropped.
 */
export function parseDevice(userAgent: string): Device {
  const { browser, os, device } = parser.UAParser(userAgent.slice(0, maxParsedLength))
  return { browser: toPlainName(browser.name), system: device.model === 'iPad' ? 'iPad' : toPlainName(os.name) }
}

/** Describes a device in words, such as 'Chrome on Linux' or 'Safari on iPhone'. */
export const deviceName = (userAgent: string): string => deviceInWords(currentRequestMessages(), parseDevice(userAgent))

function toPlainName(name: string | undefined): string | undefined {
  const familyName = families[name ?? ''] ?? name
  return familyName !== undefined && /^[A-Za-z0-9][A-Za-z0-9 +-]{0,23}$/.test(familyName) ? familyName : undefined
}
