// The configured providers: each adapter checks its own set-up.

import { fiatCodes } from '@tern/money/currency'
import { fault, notChecked, ok, type ProviderSetup, type SetupFinding, warning } from '@tern/providers/setup'
import { describeMissingProviders } from '../../platform/providers/missing-providers.ts'
import type { Providers } from '../../platform/providers/providers.ts'
import type { Check, DoctorContext } from './check.ts'

const checkMode = ({ config }: DoctorContext): Promise<readonly SetupFinding[]> =>
  Promise.resolve([
    config.mode === 'production'
      ? ok('TERN_MODE is production.')
      : warning('TERN_MODE is sandbox: no real money moves.', 'Set TERN_MODE=production before you go live.'),
  ])

function checkMissing({ config, providers }: DoctorContext): Promise<readonly SetupFinding[]> {
  const sentences = config.mode === 'production' ? describeMissingProviders(config, providers) : []
  if (sentences.length === 0) return Promise.resolve([ok('Every kind of provider is configured.')])
  return Promise.resolve(sentences.map((sentence) => warning(sentence, 'Set the variable, if you want this.')))
}

interface NamedProvider {
  readonly name: string
  readonly setup?: ProviderSetup | undefined
  readonly check?: (() => Promise<string | undefined>) | undefined
}

/** Returns one check for each topic of each configured provider. */
export function listProviderChecks({ money, identity, liquidity, mail, signIn }: Providers): Check[] {
  const { external, google } = signIn
  const named: [string, readonly NamedProvider[]][] = [
    ['money', money.all],
    ['identity', identity.all],
    ['liquidity', liquidity.all.filter(({ setup }) => setup !== undefined)],
    ['mail', mail.all],
    [
      'login',
      [...(external ? [{ name: 'oidc', ...external }] : []), ...(google ? [{ name: 'google', ...google }] : [])],
    ],
  ]
  return named.flatMap(([kind, providers]) => providers.flatMap((provider) => listChecks(kind, provider)))
}

function listChecks(kind: string, provider: NamedProvider): Check[] {
  const { name, setup } = provider
  if (!setup) {
    const tried = `Asks ${name} whether it accepts us.`
    return [{ name: `${kind}.${name}`, tried, run: () => checkPlainly(provider) }]
  }
  return setup.topics.map((topic) => ({
    name: `${kind}.${name}.${topic.name}`,
    tried: topic.tried,
    run: ({ config }) =>
      setup.check(topic.name, {
        publicUrl: config.publicUrl,
        isProduction: config.mode === 'production',
        payoutCurrencies: fiatCodes,
      }),
  }))
}

async function checkPlainly({ check }: NamedProvider): Promise<readonly SetupFinding[]> {
  if (!check) return [notChecked('Its adapter has no check.')]
  const problem = await check()
  return [problem === undefined ? ok('It does not refuse us.') : fault(`${problem}.`, 'Correct its settings.')]
}

export const settingChecks: readonly Check[] = [
  { name: 'settings.mode', tried: 'Reads TERN_MODE.', run: checkMode },
  { name: 'settings.providers', tried: 'Compares the settings with the kinds of providers.', run: checkMissing },
]
