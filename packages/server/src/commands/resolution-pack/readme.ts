export interface PackFacts {
  readonly movedAt: Date
  readonly totals: readonly string[]
  readonly loggedDay: string | undefined
  readonly logKey: string | undefined
}

/** Formats the README of a pack, for a reader who knows neither Tern nor its formats. */
export const formatReadme = ({ movedAt, totals, loggedDay, logKey }: PackFacts): string => `RESOLUTION PACK
===============

This folder says to whom the operator owes money, how much, and where the money
should be. It was read from the operator's books, whose last movement is of
${movedAt.toISOString()}.

Owed to all account holders together:

${totals.map((total) => `    ${total}`).join('\n') || '    nothing'}

The files hold personal data. Keep them where only those who need them can read
them.

What is where
-------------

holders.csv           one line for each account holder and currency: account number,
                      name, email, country of residence, the amount owed, which is
                      available money and money on hold together, and restrictions
totals.csv            the sums of holders.csv by currency
providers.csv         money that should be at each payment provider, by the
                      movements that it reported and that are in the books
ledger-accounts.csv   all other accounts of the books; with the totals, every
                      currency sums to zero
proofs/               one file for each account holder: the proof that the amount
                      is counted in the totals. Give it to the account holder
tree/                 the tree of these proofs, and its root
logged/               the last daily tree whose root is in the public transparency
                      log${loggedDay === undefined ? '; missing, because there is none yet' : `: of the end of ${loggedDay} (UTC)`}
MANIFEST.sha256       a checksum of every file: sha256sum --check MANIFEST.sha256

Restrictions
------------

compliance_stop       a compliance case stops all payments of this person
compliance_hold       a compliance case holds single payments
frozen_by_holder      the account holder has frozen the account
deletion_requested    the account holder has asked for the account to be deleted
account_closed        the account is closed; money came back to it later

Do not tell account holders about compliance_stop and compliance_hold before you
know that the law allows it.

How to check it
---------------

    python3 sum_resolution_pack.py ${logKey === undefined ? '' : `--log ${logKey} `}FOLDER

sum_resolution_pack.py is published with Tern's source, in
packages/transparency/verifier. It shares no code with the program that wrote
this folder. It adds up holders.csv, recomputes the tree and every proof, and
names what differs. Take the key of the log from a source other than this folder.

An account holder whose proof is missing, or shows less than their statement,
has been left out: their claim is not in the totals.
`
