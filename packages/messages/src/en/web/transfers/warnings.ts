/** Warnings before a payment that fits a pattern of fraud: what is unusual, and what to do. */
export const warnings = {
  title: 'Check this before you send',
  patterns: {
    safe_account: {
      title: () => 'There is no “safe account”',
      text: 'Anyone who tells you to move money to keep it safe is stealing it, also if they say they are from Tern, your bank or the police. Hang up, and call your bank on a number you already know.',
    },
    during_call: {
      title: () => 'We are on the phone with you now',
      text: 'We never ask you to send money, to anyone. If the caller wants this payment, hang up and report the call in the app.',
    },
    refused_call: {
      title: () => 'You reported a suspicious call a short time ago',
      text: 'Fraudsters call again, and some promise to get your money back. If anyone on the phone asked for this payment, stop here.',
    },
    similar_name: {
      title: (name: string, other: string) => `${name} is not the @${other} you paid before`,
      text: 'The two are easy to confuse. Compare the username with one that the person gave you in a call or face to face, not in a message.',
    },
    impersonates: {
      title: (name: string) => `${name} is a private account`,
      text: 'It is no office, whatever its name says. Tern, banks and authorities never receive money this way.',
    },
    tax: {
      title: () => 'Authorities do not collect money here',
      text: 'No tax office, customs or police takes payments to a private account. Before you pay, call the authority on the number from its own website.',
    },
    investment: {
      title: () => 'Investments paid like this are often invented',
      text: 'If you met the seller online, were promised a return, or must pay before you can withdraw, stop. Look up the company with your financial regulator first.',
    },
    release_fee: {
      title: () => 'You never have to pay to get money',
      text: 'A prize, inheritance, loan or refund that costs a fee first is fraud. So is anyone who wants gift cards or access to your screen.',
    },
    unknown_payee: {
      title: (name: string) => `You have never paid ${name}, and payments like this are often fraud`,
      text: 'Ask the person in a call or face to face whether this account is theirs. If you only know them online, you may not get the money back.',
    },
    large_share: {
      title: (name: string) => `This is most of your balance, and you have never paid ${name}`,
      text: 'If someone is rushing you, stop. Send a small amount first, and ask the person whether it arrived.',
    },
  },
  read: (amount: string, name: string) => `I have read this, and want to send ${amount} to ${name}`,
  readFirst: 'Read the warning and confirm it first.',
  changed: 'The warning has changed. Please read it again.',
  failed: "We couldn't save your confirmation. Please try again.",
  callLink: 'Check the call',
}
