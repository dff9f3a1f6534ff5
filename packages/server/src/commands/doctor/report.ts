import type { SetupVerdict } from '@tern/providers/setup'
import type { Finding } from './check.ts'
import { countText } from './durations.ts'

const labels: Readonly<Record<SetupVerdict, string>> = {
  ok: 'ok',
  warning: 'warning',
  fault: 'FAULT',
  not_checked: 'not checked',
}

const labelWidth = 12
const indent = ' '.repeat(labelWidth)

const count = (findings: readonly Finding[], verdict: SetupVerdict): number =>
  findings.filter((finding) => finding.verdict === verdict).length

/** Formats the findings for a terminal, and counts them. */
export function formatReport(findings: readonly Finding[]): string {
  const lines = findings.map(({ verdict, check, tried, found, todo }) =>
    [
      `${labels[verdict].padEnd(labelWidth)}${check}: ${tried}`,
      `${indent}${found}`,
      ...(todo ? [`${indent}→ ${todo}`] : []),
    ].join('\n'),
  )
  const sums = [
    `${count(findings, 'ok')} ok`,
    countText(count(findings, 'warning'), 'warning'),
    countText(count(findings, 'fault'), 'fault'),
    `${count(findings, 'not_checked')} not checked`,
  ]
  return [...lines, '', `${sums.join(', ')}.`].join('\n')
}

/** Formats the findings as JSON; `verdict` is `fault` if there is one, else `warning` or `ok`. */
export function formatJson(findings: readonly Finding[], now: Date): string {
  const verdict = (['fault', 'warning'] as const).find((each) => count(findings, each) > 0) ?? 'ok'
  return JSON.stringify({ verdict, checkedAt: now.toISOString(), findings }, undefined, 2)
}

const secretName = /(SECRET|KEY|TOKEN|PASSWORD)(_\d+)?$/
const shortestSecret = 6

/** Replaces every secret of the environment, also as a part of an address, in texts that others have written. */
export function hideSecrets(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  const secrets = Object.entries(environment).flatMap(([name, value = '']) => {
    if (secretName.test(name)) return value.split(/\s*,\s*/)
    // Only this setting has several addresses; others may have a comma in the password.
    const addresses = name === 'REPLICA_DATABASE_URL' ? value.split(',') : [value]
    return addresses.flatMap((address) => {
      if (!URL.canParse(address.trim())) return []
      const { password } = new URL(address.trim())
      return [password, decodeURIComponent(password)]
    })
  })
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '…'), text)
}
