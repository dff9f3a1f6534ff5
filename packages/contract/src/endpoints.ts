import type { Endpoint } from './endpoint.ts'
import { events } from './events.ts'
import { createQuote, currencyRate, exchangeMoney } from './exchange.ts'
import { currentUser, login, logout, refreshToken, register, searchUsers, userProfile } from './identity.ts'
import { kycStatus, submitKyc } from './kyc.ts'
import { depositByCard, paymentStatus } from './payments.ts'
import { transactionsOfUser } from './transactions.ts'
import { sendMoney } from './transfers.ts'
import { balanceHistory, walletByUser, walletOfUser } from './wallets.ts'

/** Every call of the API by its name. The server must serve exactly these. */
export const allEndpoints = {
  register,
  login,
  refreshToken,
  logout,
  currentUser,
  searchUsers,
  userProfile,
  submitKyc,
  kycStatus,
  walletOfUser,
  walletByUser,
  balanceHistory,
  transactionsOfUser,
  createQuote,
  exchangeMoney,
  currencyRate,
  sendMoney,
  depositByCard,
  paymentStatus,
  events,
} as const satisfies Record<string, Endpoint>
