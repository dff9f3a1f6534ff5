// Counts the errors in the process logs of a run.

import fs from 'node:fs'
import path from 'node:path'

interface Entry {
  readonly msg?: string
  readonly err?: { readonly message?: string; readonly code?: string }
}

const stripDetails = (text: string): string =>
  text
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}|\b\w+_[\w-]{20,}/g, '…')
    .replaceAll(/\d{3,}/g, '…')
    .slice(0, 140)

function readEntry(line: string): string | undefined {
  if (line.startsWith('{')) {
    try {
      const { msg = '', err } = JSON.parse(line) as Entry
      return stripDetails([msg, err?.code, err?.message].filter((part) => part !== undefined && part !== '').join(': '))
    } catch {
      return undefined
    }
  }
  // Errors that end a process are logged as plain text.
  return /^\w*[Ee]rror: /.test(line) ? stripDetails(`ended with ${line}`) : undefined
}

/** Counts logged errors by role (`app`, `worker`, `sandbox`) and message; details that vary are removed. */
export function countLoggedErrors(dataDir: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const file of fs.readdirSync(dataDir).filter((name) => /^(app|worker|sandbox)[\w-]*\.log(\.1)?$/.test(name))) {
    const role = /^[a-z]+/.exec(file)?.[0] ?? ''
    for (const line of fs.readFileSync(path.join(dataDir, file), 'utf8').split('\n')) {
      const entry = readEntry(line)
      if (entry !== undefined) counts[`${role}: ${entry}`] = (counts[`${role}: ${entry}`] ?? 0) + 1
    }
  }
  return counts
}
