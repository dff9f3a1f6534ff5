export const compliance = {
  description: 'License, identity checks, limits and books of this Tern, and what is not there yet.',
  lead: 'Who licenses this installation, what is checked, and what is not there yet.',
  clauses: {
    license: {
      title: 'License',
      none: 'No money transmitter license is set for this installation. Once one is, its number and regulator stand here.',
      set: 'Money transmitter license of this installation:',
      register: 'See it in the public register',
      bank: 'Tern is not a bank, and balances are not insured deposits.',
      short: 'Shown here as whoever runs this Tern has set it.',
    },
    identity: {
      title: 'Identity checks',
      text: [
        'Everyone is verified before money moves: legal name, date of birth, address, nationality, national ID number and document number. An identity provider checks them and answers; the American number is also checked for its format.',
        'Until then nothing leaves a wallet and nobody can send to it. A form can be sent again with what was missing.',
      ],
      short: 'Identity first, then money.',
    },
    limits: {
      title: 'Limits',
      text: [
        'Unless whoever runs this installation has set others, a verified person moves at most the worth of 10,000 US dollars in one payment, 15,000 in a day and 50,000 in 30 days, in each direction. Days are those of UTC. Without verification the limit is nothing.',
      ],
      short: '10,000 a payment, 15,000 a day, 50,000 in 30 days.',
    },
    screening: {
      title: 'Screening',
      text: [
        'This version does not compare users or recipients with lists of sanctions or of politically exposed persons, and does not watch for unusual patterns of payments. Both are to come. Until then an operator can hold, release and reject transfers by a rule of their own.',
      ],
      short: 'Not there yet, and said so.',
    },
    books: {
      title: 'Books',
      text: [
        'Every movement is a balanced double entry that nobody can change or delete. A command proves the books of a running installation, and every night they are compared with the records of the payment partners.',
      ],
      short: 'Double entry, proven and compared.',
    },
  },
}
