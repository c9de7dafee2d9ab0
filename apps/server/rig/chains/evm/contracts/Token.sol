// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An ERC-20 whose code can be copied to any address: what differs between tokens is immutable, so it lives
/// in the code and not in storage, and the copy starts without balances. Anybody may mint.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint8 public immutable decimals;
    bytes32 private immutable shortSymbol;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(bytes32 symbolBytes, uint8 decimalPlaces) {
        shortSymbol = symbolBytes;
        decimals = decimalPlaces;
    }

    function symbol() external view returns (string memory) {
        bytes32 padded = shortSymbol;
        uint256 length = 0;
        while (length < 32 && padded[length] != 0) length++;
        bytes memory text = new bytes(length);
        for (uint256 index = 0; index < length; index++) text[index] = padded[index];
        return string(text);
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    /// As in the real tokens a value of zero needs no allowance, so anybody can write a Transfer from anybody:
    /// address poisoning.
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(allowance[from][msg.sender] >= value, "allowance too small");
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "balance too small");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
