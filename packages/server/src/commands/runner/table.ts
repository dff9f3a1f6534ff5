import { deskRoles } from '@tern/contract/desk/roles'
import type { RunCommand } from '../terminal.ts'

export interface Command {
  readonly name: string
  readonly summary: string
  /** Usage text, printed on request and after wrong parameters. */
  readonly usage: string
  readonly load: () => Promise<{ readonly run: RunCommand }>
}

export const commands: readonly Command[] = [
  {
    name: 'migrate',
    summary: "updates a database's schema and grants the application's role its rights",
    usage: `npx tern migrate     as the owner of the schema: MIGRATION_DATABASE_URL, APPLICATION_ROLE`,
    load: () => import('../migrate/migrate.ts'),
  },
  {
    name: 'doctor',
    summary: 'checks an installation: database, providers, address, background work, books',
    usage: `npx tern doctor                      checks everything, with the environment of the product; changes nothing;
                                     exit code 1 if there is a fault
npx tern doctor --only NAME …        only this check or area, such as database or money.stripe.webhooks
                --json               prints the findings as JSON`,
    load: () => import('../doctor/doctor.ts'),
  },
  {
    name: 'audit',
    summary: "proves the running database's books",
    usage: `npx tern audit                  exit code 1 on any fault
npx tern audit --since-seal     reads only what is new since the day seal before the last audit without a fault`,
    load: () => import('../audit/audit.ts'),
  },
  {
    name: 'drill',
    summary: 'restores the backup beside the running database, audits it and compares both',
    usage: `npx tern drill --stanza NAME            restores the latest state from pgBackRest's repository; exit code 1 if the
                                        audit fails or the restored books are no earlier state of the running ones
               [--to TIME]              the state of a second, such as 2026-11-29T17:20:00Z
               [--config FILE]          pgBackRest's configuration, if not its default
               [--folder FOLDER]        where to restore; a temporary folder by default
               [--keep]                 leaves the restored database there
               [--alone]                compares with nothing: the running database is lost`,
    load: () => import('../drill/drill.ts'),
  },
  {
    name: 'resolution-pack',
    summary: 'writes who is owed what, with proofs, from the database or a restored backup',
    usage: `npx tern resolution-pack --out FOLDER     writes into a new folder, and only reads the database: DATABASE_URL`,
    load: () => import('../resolution-pack/resolution-pack.ts'),
  },
  {
    name: 'reseal',
    summary: 'seals again what an older TERN_SECRET sealed',
    usage: `npx tern reseal                                          reseals stored values that an older TERN_SECRET sealed
npx tern reseal --accept "TABLE KEY" --because "SENTENCE" accepts a row that was changed outside this program
                [--by NAME]                               who accepts it`,
    load: () => import('../reseal/reseal.ts'),
  },
  {
    name: 'privacy',
    summary: 'lists and decides requested corrections; lists accounts to be deleted; opens what is retained',
    usage: `npx tern privacy                                     lists requested corrections, and accounts that will be deleted,
                                                     the next deadline first
npx tern privacy --correct ID --because "SENTENCE"   records that it was corrected; the person reads the sentence
npx tern privacy --decline ID --because "SENTENCE"   records why not; the person reads the sentence
npx tern privacy --retained USER                     prints who a former user was: only for a court or an open case
                 [--by NAME]                         who runs this; people see a pseudonym`,
    load: () => import('../privacy.ts'),
  },
  {
    name: 'reconcile',
    summary: "compares the payment provider's records with ours, and resolves exceptions",
    usage: `npx tern reconcile                                     compares everything since the last time
npx tern reconcile --from 2026-03-01 --until 2026-04-01   compares these days
npx tern reconcile --take-up EXCEPTION --because "SENTENCE"
                   [--until 2026-12-01] [--by NAME]    assigns an exception, which stays open and raises no alarm until then
npx tern reconcile --close EXCEPTION --because "SENTENCE" closes an exception that was resolved elsewhere
npx tern reconcile --release ID --because "SENTENCE"   ends a payment or payout that has an exception, and returns
                                                       what is on hold
npx tern reconcile --settle ID --because "SENTENCE"    ends it as paid, by a movement in the provider's books
                   [--line LINE]                       which one, if several match`,
    load: () => import('../reconcile.ts'),
  },
  {
    name: 'safeguarding',
    summary: "compares customers' money with the banks that keep it, and gives the figures of a month",
    usage: `npx tern safeguarding                        compares the finished days, and shows each account and what is open;
                                             exit code 1 if a finding is open, 2 if a bank was never compared
npx tern safeguarding --month 2026-10        shows the figures of a month
                      [--json] [--csv]       as JSON, or the days as CSV
npx tern safeguarding --cover FINDING --because "SENTENCE"
                      [--by NAME]            orders the transfer that tops up a shortfall or takes out an excess`,
    load: () => import('../safeguarding.ts'),
  },
  {
    name: 'rates',
    summary: 'lists the rates in use, and accepts or rejects those held back',
    usage: `npx tern rates                 lists the rates in use, and those that are held back because they jumped
npx tern rates --accept ID     uses it for prices from now on
npx tern rates --reject ID     never uses it
               [--by NAME]     who decided`,
    load: () => import('../rates.ts'),
  },
  {
    name: 'reprice',
    summary: "recomputes a payment's price and compares quote, receipt and ledger",
    usage: `npx tern reprice RECEIPT             recomputes the price of a payment: TRN-… or its id
npx tern reprice --all               all completed conversions
                 [--since DATE]      only those from this day on (UTC), such as 2026-11-20`,
    load: () => import('../reprice.ts'),
  },
  {
    name: 'lists',
    summary: 'shows, imports and fetches the lists that people are screened against',
    usage: `npx tern lists [status]                  shows each list, its version and age; exit code 1 if one is too old
npx tern lists import FILE [FILE …]      imports lists: OFAC (CSV), UN (XML), EU and UK (CSV or XML), OpenSanctions (CSV)
                      [--force]          even if a list shrinks a lot, is older than before, or lacks its aliases
npx tern lists fetch [LIST …] [--force]  fetches and imports lists from their addresses; exit code 1 if one failed`,
    load: () => import('../lists.ts'),
  },
  {
    name: 'treasury',
    summary: 'lists positions, limits and open orders, flattens a position, changes a limit',
    usage: `npx tern treasury                               lists positions, limits, commitments and open orders
npx tern treasury --flatten CUR                 trades the position in CUR back to zero now
npx tern treasury --limit CUR long AMOUNT       sets the most CUR that the desk may hold
npx tern treasury --limit CUR short AMOUNT      sets the most CUR that it may owe
npx tern treasury --limit CUR flatten AMOUNT    sets the position above which it is flattened automatically
                  [--by NAME]                   who does so`,
    load: () => import('../treasury.ts'),
  },
  {
    name: 'witnesses',
    summary: 'lists the witnesses of the transparency log, and lets one that refused be asked again',
    usage: `npx tern witnesses                lists them, and what they answered; exit code 1 if one refuses the log
npx tern witnesses --retry NAME   asks a witness again that refused the log, once the reason is gone`,
    load: () => import('../witnesses.ts'),
  },
  {
    name: 'sessions',
    summary: 'ends the sessions of a user or of all users, who are mailed',
    usage: `npx tern sessions --end WHO --because "SENTENCE"     ends the sessions of a user: number, username or email
npx tern sessions --end-all --because "SENTENCE"     ends all sessions of all users
                  [--by NAME]                        who does so; the desk's log keeps name and sentence`,
    load: () => import('../sessions.ts'),
  },
  {
    name: 'transfers',
    summary: 'lists transfers on hold, and settles or rejects those that wait for an operator',
    usage: `npx tern transfers                                      lists the transfers on hold
npx tern transfers --settle ID --because "SENTENCE"     settles a transfer that waits for an operator
npx tern transfers --reject ID --because "SENTENCE"     returns its money to the sender
                   [--by NAME]                          who decided`,
    load: () => import('../transfers.ts'),
  },
  {
    name: 'travel-rule',
    summary: 'shows who paid whom by a transfer, as IVMS101',
    usage: `npx tern travel-rule TRANSFER     shows the record of a transfer; both people can see that you looked
                     [--by NAME]  who looks`,
    load: () => import('../travel-rule.ts'),
  },
  {
    name: 'desk',
    summary: 'lists, adds and disables operators of the desk, and links their own accounts',
    usage: `npx tern desk                                      lists operators
npx tern desk add NAME --role ROLE … --account WHO …
                                                   adds an operator and prints the link for adding their passkey; WHO is
                                                   the email or user number of their own account as a customer;
                                                   --no-account states that they have none
npx tern desk link-account NAME --account WHO …    links their own accounts, which they then cannot decide about
npx tern desk unlink-account NAME --account WHO --because "SENTENCE"
                                                   unlinks an account that is not theirs
npx tern desk link NAME [--replace]                prints a link for another passkey, which can replace all others
npx tern desk roles NAME --role ROLE …             changes their roles: ${deskRoles.join(', ')}
npx tern desk disable NAME --because "SENTENCE"    removes their sessions and passkeys for good`,
    load: () => import('../desk.ts'),
  },
]
