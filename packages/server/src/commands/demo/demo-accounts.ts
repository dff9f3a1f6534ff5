/** Two login accounts for visitors of the demo, in sandbox mode only. */
export const demoAccounts = [
  { email: 'ines@demo.tern.example', password: 'pole to pole 2026', name: 'Ines Okafor', currency: 'USD' },
  { email: 'lucas@demo.tern.example', password: 'pole to pole 2026', name: 'Lucas Moreau', currency: 'EUR' },
] as const
