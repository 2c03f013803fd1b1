import { nanoUsd } from "@tollgate/e2e/nano-usd";
import type { OperatorConnection } from "@tollgate/local/operator";

/** An account and one of its keys. */
export interface Customer {
  accountId: string;
  key: string;
  /** Its credit covers everything that it requests. */
  isRich: boolean;
}

const richUsd = 1_000;

/** Creates an account with a key for each of the credits, in USD. */
export async function createCustomers(
  operator: OperatorConnection["client"],
  creditsUsd: readonly number[],
): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (const [index, credit] of creditsUsd.entries()) {
    const name = `customer-${index}`;
    const { account } = await operator.createAccount({ name, creditNanoUsd: nanoUsd(credit) });
    const accountId = account?.id ?? "";
    const { key } = await operator.createKey({ account: accountId });
    customers.push({ accountId, key, isRich: credit >= richUsd });
  }
  return customers;
}
