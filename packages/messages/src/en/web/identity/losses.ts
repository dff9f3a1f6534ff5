/** Amounts owed after spent money was reversed, in the settings. */
export const losses = {
  title: 'Amount owed',
  text: 'A payment you had already spent was reversed. Until you repay the amount, nothing can leave your wallet.',
  missing: (amount: string) => `You owe ${amount}`,
  takenBack: (date: string) => `Reversed by a card or bank on ${date}`,
  creditEnded: (date: string) => `A dispute's credit was taken back on ${date}`,
  pay: (amount: string) => `Repay ${amount}`,
  lacks: (balance: string, lacking: string) =>
    `You repay it all at once from your wallet. You have ${balance}: add ${lacking} first.`,
  addFunds: 'Add money',
  paid: (amount: string) => `You repaid ${amount}.`,
  free: 'You owe nothing more. Money can leave your wallet again.',
  loadFailed: "We couldn't check whether you owe anything.",
  failed: "That didn't work. Please try again; you won't pay twice.",
} as const
