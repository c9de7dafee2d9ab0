// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface PaidToken {
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// How exchanges and smart wallets pay: many payments in one transaction, none of them in its call data's `to`.
contract Batch {
    struct Payment {
        PaidToken token;
        address to;
        uint256 value;
    }

    function pay(Payment[] calldata payments) external {
        for (uint256 index = 0; index < payments.length; index++) {
            Payment calldata payment = payments[index];
            require(payment.token.transfer(payment.to, payment.value), "transfer refused");
        }
    }

    function payFrom(address from, Payment[] calldata payments) external {
        for (uint256 index = 0; index < payments.length; index++) {
            Payment calldata payment = payments[index];
            require(payment.token.transferFrom(from, payment.to, payment.value), "transfer refused");
        }
    }

    /// Native coin that arrives without a log and without a transaction to its receiver.
    function forward(address payable to) external payable {
        (bool sent,) = to.call{value: msg.value}("");
        require(sent, "forward refused");
    }
}
