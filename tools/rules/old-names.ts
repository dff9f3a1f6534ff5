// Retired names and their replacements, for identifiers and file names. Prose may use those that are ordinary words.

import path from 'node:path'
import type { SourceFile } from './house-rules.ts'

type NameMap = Readonly<Record<string, string>>

const globalNames: NameMap = {
  Surroundings: 'Dependencies',
  takingOf: 'transitionOf',
  meansOf: 'resolveFundingSource',
  openingOf: 'postAuthorization',
  closingOf: 'releaseFunding',
  withdrawAnnouncement: 'failPending',
  leaveToPerson: 'escalateToReview',
  Puzzle: 'Discrepancy',
  misnamed: 'misattributedSubject',
  unplaced: 'unmatched',
  missing_here: 'missing_internal',
  missing_there: 'missing_external',
  is_decided: 'resolved_manually',
  money_case: 'reconciliation_exception',
  asked_at: 'last_polled_at',
  asked_token: 'submitted_token',
  cancel_asked_at: 'cancel_requested_at',
  forgotten_method: 'detached_instrument',
  uncount: 'reverseLimitUsage',
  takeUsageBack: 'reverseLimitUsage',
  inTurn: 'serialize',
  takeTurn: 'serialize',
  DoorKit: 'SignInRouteHelpers',
  outdateProofs: 'bumpCredentialsVersion',
  demandOwnPage: 'requireSameOrigin',
  ProvenAct: 'SensitiveAction',
  ProofDemand: 'StepUpRequirement',
  proof_required: 'step_up_required',
  proof_invalid: 'step_up_invalid',
  disown: 'reportUnrecognizedSignIn',
  NotMe: 'UnrecognizedSignIn',
  hindrance: 'blocker',
  KeptOrder: 'PersistedOrder',
  earlyPress: 'prehydrationClicks',
  earlyTrust: 'trustedTypesPolicy',
  useIsHere: 'useIsCurrentPage',
  useHandedOver: 'useHandover',
  StateSign: 'StatusBadge',
}

/** Names retired only in some folders, since they are valid elsewhere. */
const localNames: readonly (readonly [where: RegExp, names: NameMap])[] = [
  [
    /^packages\/server\//,
    {
      Ground: 'PaymentContext',
      Taking: 'applyPaymentState',
      carryOut: 'applyOutcome',
      Means: 'FundingSource',
      announce: 'createPending',
      Between: 'TransferParties',
      Door: 'SignInMethod',
      admit: 'issueSession',
      demand: 'require',
    },
  ],
  [
    /^packages\/server\/src\/features\/payments\//,
    { goOn: 'confirm', giveUp: 'cancel', arrivalOf: 'settlementPostings' },
  ],
  [
    /^packages\/server\/src\/features\/(exchange|treasury)\//,
    { Standing: 'Exposure', standing: 'exposure', standings: 'exposures' },
  ],
  [
    /^packages\/web\//,
    {
      Means: 'FundingSource',
      Standing: 'TransferStatus',
      standing: 'status',
      Returning: 'PaymentReturn',
      insist: 'retrySameKey',
      Faults: 'Errors',
      faults: 'errors',
      demand: 'requirement',
    },
  ],
  [/^packages\/web\/src\/features\/transfers\//, { Round: 'SendFlow', round: 'flow', useRound: 'useSendFlow' }],
  [
    /^simulation\//,
    {
      Stage: 'Harness',
      stage: 'harness',
      wires: 'proxies',
      Verdict: 'Assertions',
      verdict: 'assertions',
      Citizen: 'Actor',
      citizen: 'actor',
      fates: 'faults',
    },
  ],
]

const fileNames = (
  'ground means intake catching-up forgetting funding decisions trust turns looking-up arrivals proven own-page places ' +
  'external-visits kept-order early-press early-trust use-is-here use-handed-over StateSign stage wires verdict citizen fates'
).split(' ')

/** Exempts this list, the folder rules and fixtures. */
const isExempt = (file: string) => /^tools\/rules\/(old-names|folder-rules)\./.test(file) || /\/fixtures\//.test(file)

/** Removes comments and single-quoted strings; keeps template strings, which contain SQL and code. */
const stripComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$|'(?:[^'\\\n]|\\.)*'|(?<=^|\s)--.*$/gm, '')

const isCodeLike = (name: string) => /_|[a-z][A-Z]/.test(name)

/** Checks that no retired name is an identifier or file name; names with `_` or inner capitals may occur nowhere. */
export const noRetiredNames = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path: file }) => /\.(ts|tsx|mjs|sql)$/.test(file) && !isExempt(file))
    .flatMap(({ path: file, text }) => {
      const stem = path.posix.basename(file).replace(/\..*$/, '')
      const fileProblems = fileNames.includes(stem) ? [`${file}: has a name that is no longer used.`] : []
      const names: NameMap = Object.assign(
        {},
        globalNames,
        ...localNames.map(([pathPattern, own]) => (pathPattern.test(file) ? own : {})),
      )
      const code = stripComments(text)
      const words = new Set(code.match(/[A-Za-z_]\w*/g))
      const allWords = new Set(text.match(/[A-Za-z_]\w*/g))
      const retired = Object.entries(names).filter(
        ([name]) => words.has(name) || (isCodeLike(name) && allWords.has(name)),
      )
      return fileProblems.concat(retired.map(([name, standard]) => `${file}: ${name} is now ${standard}.`))
    })
